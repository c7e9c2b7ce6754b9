import { defineEntity } from '@mikro-orm/core'
import { key, moment, text } from '../columns.ts'

/** What an operator did, to what and why; rows are only ever added (the database refuses the rest). */
const schema = defineEntity({
  name: 'OperatorAct',
  properties: () => ({
    uuid: key(),
    /** An operator's e-mail, or the user of the command line. */
    who: text(),
    /** Snake case: `pause`, `resume`, `settle`, … */
    act: text(),
    /** What it was done to: a workflow id, a uuid, or `all`. */
    subject: text(),
    reason: text(),
    at: moment().onCreate(() => new Date()),
  }),
})

export class OperatorAct extends schema.class {}
schema.setClass(OperatorAct)
