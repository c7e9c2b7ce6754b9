import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { formatTextArray } from '../sql-conditions.ts'

/** What the acts of operators are about, by the kinds that `operator_action.subject` begins with. */

/** A subject that has a row, with what names it; null where the row has no such thing. */
export type ActSubject = {
  kind: string
  uuid: string
  accountUuid: string | null
  accountName: string | null
  provider: ProviderName | null
  cents: number | null
  /** Of a user or an invitation. */
  email: string | null
}

type Row = { account?: string; provider?: string; cents?: string; email?: string }

/** Selects the rows of one kind; each takes the uuids as its only value. */
function selectKind(kind: string, table: string, { account, provider, cents, email }: Row): string {
  return `select '${kind}' as kind, r.uuid, ${account ?? 'null::uuid'} as account_uuid,
    ${provider ?? 'null::text'} as provider, (${cents ?? 'null::bigint'})::float8 as cents, ${email ?? 'null::text'} as email
    from ${table} where r.uuid = any(?::uuid[])`
}

const OF_ACCOUNT = { account: 'r.account_uuid' }
const PAYMENT = { ...OF_ACCOUNT, cents: 'r.value_cents' }
const KINDS: Record<string, string> = {
  account: selectKind('account', 'account r', { account: 'r.uuid' }),
  connection: selectKind('connection', 'connection r', { ...OF_ACCOUNT, provider: 'r.provider' }),
  charge: selectKind('charge', 'charge r', { ...OF_ACCOUNT, cents: 'r.total_cents' }),
  transfer: selectKind('transfer', 'transfer r', PAYMENT),
  refund: selectKind('refund', 'refund r', PAYMENT),
  return: selectKind('return', 'movement r', PAYMENT),
  med: selectKind('med', 'dispute r', PAYMENT),
  endpoint: selectKind('endpoint', 'webhook r', OF_ACCOUNT),
  difference: selectKind(
    'difference',
    'difference r join provider_account p on p.uuid = r.provider_account_uuid',
    {
      provider: 'p.provider',
    },
  ),
  user: selectKind('user', 'app_user r', { ...OF_ACCOUNT, email: 'r.email' }),
  invitation: selectKind('invitation', 'user_invitation r', { ...OF_ACCOUNT, email: 'r.email' }),
}

/** Finds the rows of subjects, at most one for each; those of other kinds and those that are gone have none. */
export function findActSubjects(
  em: EntityManager,
  subjects: { kind: string; uuid: string }[],
): Promise<ActSubject[]> {
  const selects = Object.entries(KINDS).flatMap(([kind, sql]) => {
    const uuids = subjects.filter(one => one.kind === kind).map(one => one.uuid)
    return uuids.length > 0 ? [{ sql, uuids }] : []
  })
  if (selects.length === 0) return Promise.resolve([])
  return em.execute(
    `select s.kind, s.uuid, s.account_uuid as "accountUuid", n.name as "accountName", s.provider, s.cents, s.email
     from (${selects.map(({ sql }) => sql).join(' union all ')}) s left join account n on n.uuid = s.account_uuid`,
    selects.map(({ uuids }) => formatTextArray(uuids)),
  )
}
