import { defineEntity } from '@mikro-orm/core'
import { idColumn, textColumn, timestampColumn } from './columns.ts'

/** An operator's action with its subject and reason; PostgreSQL refuses updates and deletes of these rows. */
const schema = defineEntity({
  name: 'OperatorAction',
  properties: () => ({
    uuid: idColumn(),
    /** An operator's e-mail, or the user of the command line. */
    actor: textColumn(),
    /** Snake case: `pause`, `resume`, `settle`, … */
    action: textColumn(),
    /** Subject of the action: a workflow id, a uuid, or `all`. */
    subject: textColumn(),
    reason: textColumn(),
    at: timestampColumn().onCreate(() => new Date()),
  }),
})

export class OperatorAction extends schema.class {}
schema.setClass(OperatorAction)
