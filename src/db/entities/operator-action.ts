import { defineEntity } from '@mikro-orm/core'
import { createdAtColumn } from './columns.ts'

/** An action of an operator, or of an account's user, with its subject and reason; PostgreSQL refuses updates and deletes of these rows. */
const schema = defineEntity({
  name: 'OperatorAction',
  properties: p => ({
    uuid: p.uuid().primary(),
    /** The e-mail of the user that acted, or the user of the command line. */
    actor: p.text(),
    /** Name of the action in snake case. */
    action: p.text(),
    /** Subject of the action: a workflow id, a uuid, or all of a kind. */
    subject: p.text(),
    reason: p.text(),
    /** The account whose own user acted; null for operators and the command line. */
    accountUuid: p.uuid().nullable(),
    at: createdAtColumn(),
  }),
})

export class OperatorAction extends schema.class {}
schema.setClass(OperatorAction)
