import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { fail } from '../../../http/api-error.ts'
import { reasonSchema } from '../../http/form.ts'
import { requireMerchantAccount } from './account.ts'
import { ACCOUNTS_PATH, type OperatorVisit } from './operator-form.ts'

/** What the forms about a connection share. */

export const CONNECTIONS_PATH = `${ACCOUNTS_PATH}/connections`

/** Fields of every form that changes a connection. */
export const connectionChangeFields = { uuid: uuidSchema, reason: reasonSchema }

/** Finds a connection, or fails with 404. */
export async function requireConnection(em: EntityManager, uuid: string): Promise<Connection> {
  return (await em.fork().findOne(Connection, uuid)) ?? fail('not_found')
}

/** Describes a connection for the question before a change: its account, its provider and its uuid. */
export async function describeConnection(visit: OperatorVisit, uuid: string) {
  const connection = await requireConnection(visit.em, uuid)
  const account = await requireMerchantAccount(visit.em, connection.accountUuid)
  const { t } = visit
  const provider = t(`provider.${connection.provider}`)
  const list = [
    { name: 'field.account', value: account.name },
    { name: 'field.provider', value: provider },
    { name: 'field.uuid', value: uuid },
  ]
  return { connection, facts: { name: `${account.name}, ${provider}`, list } }
}
