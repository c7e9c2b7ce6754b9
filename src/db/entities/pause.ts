import { defineEntity } from '@mikro-orm/core'
import { key, moment, oneOf, text, uuid } from '../columns.ts'

/** `money_out` stops transfers, refunds and returns; `everything` also charges and keys. */
export type PauseReach = 'money_out' | 'everything'

/** Nothing new begins while it stands; it is gone once resumed (operator_act remembers). */
const schema = defineEntity({
  name: 'Pause',
  properties: () => ({
    uuid: key(),
    /** Of an account; of a connection; where both are null, of the whole service. */
    accountUuid: uuid().nullable(),
    connectionUuid: uuid().nullable(),
    reach: oneOf<PauseReach>(),
    reason: text(),
    who: text(),
    createdAt: moment().onCreate(() => new Date()),
  }),
})

export class Pause extends schema.class {}
schema.setClass(Pause)
