import { defineEntity } from '@mikro-orm/core'
import { createdAtColumn } from './columns.ts'

/** An operator's action with its subject and reason; PostgreSQL refuses updates and deletes of these rows. */
const schema = defineEntity({
  name: 'OperatorAction',
  properties: p => ({
    uuid: p.uuid().primary(),
    /** An operator's e-mail, or the user of the command line. */
    actor: p.text(),
    /** Snake case: `pause`, `resume`, `settle`, … */
    action: p.text(),
    /** Subject of the action: a workflow id, a uuid, or `all`. */
    subject: p.text(),
    reason: p.text(),
    at: createdAtColumn(),
  }),
})

export class OperatorAction extends schema.class {}
schema.setClass(OperatorAction)
