import { z } from 'zod'
import {
  type DifferencesQuery,
  type ReconciliationsQuery,
  showDifference,
  showReconciliation,
} from '../../contract/reconciliation/reconciliation.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import {
  type AccountDifference,
  countDifferences,
  readDifferencePage,
} from '../../db/repositories/differences.ts'
import { readProviderReconciliations } from '../../db/repositories/reconciliations.ts'
import type { DifferenceKind } from '../../domain/reconciliation/statement-comparison.ts'
import { fail } from '../../http/api-error.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibleConnections } from '../authorization/visibility.ts'
import { mapPage, readEntityPage, readOrderedPage } from './pagination.ts'

/** Builds the filter of the connections whose reconciliation a token may see: a provider account of several accounts is the operator's. */
function buildReconciledFilter(token: CallerToken) {
  return { accountUuid: token.accountUuid, type: 'NOMINAL' as const, ...visibleConnections(token) }
}

/** Lists what the reconciliation has found at each provider that a token may see, the newest provider first. */
export async function listReconciliations(
  em: EntityManager,
  token: CallerToken,
  query: ReconciliationsQuery,
) {
  const filter = buildReconciledFilter(token)
  const page = await readEntityPage(em, Connection, { name: 'reconciliation', query, filter })
  const found = await readProviderReconciliations(
    em,
    page.data.map(({ uuid }) => uuid),
  )
  return mapPage(page, ({ uuid }) => showReconciliation(found.get(uuid)!))
}

/** Reads what the reconciliation has found at a provider, or fails with 404. */
export async function readReconciliation(em: EntityManager, token: CallerToken, uuid: string) {
  await requireReconciled(em, token, uuid)
  return showReconciliation((await readProviderReconciliations(em, [uuid])).get(uuid)!)
}

async function requireReconciled(em: EntityManager, token: CallerToken, uuid: string): Promise<void> {
  const visible = { $and: [buildReconciledFilter(token), { uuid }] }
  if ((await em.fork().count(Connection, visible)) === 0) fail('not_found')
}

/** Order of differences: when each was found, as PostgreSQL formats it, and its uuid; the newest first. */
const BY_DISCOVERY = {
  positionOf: ({ found_at, uuid }: AccountDifference) => [found_at, uuid] as const,
  schema: z.tuple([z.string().regex(/^[\d :.+-]{19,40}$/), uuidSchema]).readonly(),
}

/** Lists the differences at a provider, the newest first. */
export async function listDifferences(
  em: EntityManager,
  token: CallerToken,
  { uuid, query }: { uuid: string; query: DifferencesQuery },
) {
  await requireReconciled(em, token, uuid)
  const { accountUuid } = token
  const scope = { accountUuid, connectionUuid: uuid }
  const filter = {
    kinds: query.kind?.map(kind => kind.toLowerCase() as DifferenceKind),
    statuses: query.status,
  }
  const page = await readOrderedPage(
    {
      name: `difference/${uuid}`,
      query,
      read: ({ after, ...rows }) =>
        readDifferencePage(em, scope, {
          ...filter,
          ...rows,
          order: 'desc',
          after: after && { found_at: after[0], uuid: after[1] },
        }),
      count: () => countDifferences(em, scope, filter),
    },
    BY_DISCOVERY,
  )
  return mapPage(page, showDifference)
}
