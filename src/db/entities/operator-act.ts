import { defineEntity } from '@mikro-orm/core'
import { primaryKeyColumn, textColumn, timestampColumn } from './columns.ts'

/** What an operator did, to what and why; rows are only ever added (the database refuses the rest). */
const schema = defineEntity({
  name: 'OperatorAct',
  properties: () => ({
    uuid: primaryKeyColumn(),
    /** An operator's e-mail, or the user of the command line. */
    who: textColumn(),
    /** Snake case: `pause`, `resume`, `settle`, … */
    act: textColumn(),
    /** What it was done to: a workflow id, a uuid, or `all`. */
    subject: textColumn(),
    reason: textColumn(),
    at: timestampColumn().onCreate(() => new Date()),
  }),
})

export class OperatorAction extends schema.class {}
schema.setClass(OperatorAction)
