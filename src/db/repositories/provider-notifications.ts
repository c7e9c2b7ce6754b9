import type { EntityManager } from '../client/orm.ts'
import { type NotificationOutcome, ProviderNotification } from '../entities/notice.ts'
import { getEntityMapper } from '../pipeline/entity-mapper.ts'
import { type Query, query, runAsyncCommit } from '../pipeline/query.ts'

export type ReceivedNotification = Pick<
  ProviderNotification,
  'uuid' | 'kind' | 'reference' | 'endToEnd' | 'body' | 'requestId'
> & {
  /** Of what was told, in hex: the same is kept once per connection. */
  digest: string
}

/**
 * Keeps what a provider told through a connection, each once; answers what no life has taken yet, a repeat included. One
 * statement, because every movement of money waits for it. Of two that keep the same at once, the first has it.
 */
export function storeProviderNotifications(
  em: EntityManager,
  connectionUuid: string,
  told: ReceivedNotification[],
): Query<ProviderNotification[]> {
  const notice = getEntityMapper(em, ProviderNotification, 'n')
  return query(
    `with told as (
       select * from json_to_recordset(?::json) as t (uuid uuid, digest text, kind text, reference text,
         "endToEnd" text, body text, "requestId" text)
     ), kept as (
       insert into notice (uuid, connection_uuid, digest, kind, reference, end_to_end, body, request_id)
       select uuid, ?::uuid, decode(digest, 'hex'), kind, reference, "endToEnd", body, "requestId" from told
       on conflict (connection_uuid, digest) do nothing
       returning *
     )
     select ${notice.columns} from kept n
     union all
     select ${notice.columns} from notice n
     where n.connection_uuid = ? and n.digest in (select decode(digest, 'hex') from told) and n.handed_at is null`,
    [JSON.stringify(told), connectionUuid, connectionUuid],
    rows => rows.map(notice.mapRow),
  )
}

/** Writes down that it was handed over, and what it came to; where that is lost, it is handed over once more. */
export async function markNotificationRouted(
  em: EntityManager,
  { uuid }: Pick<ProviderNotification, 'uuid'>,
  outcome: NotificationOutcome,
): Promise<void> {
  const mark = 'update notice set handed_at = now(), outcome = ? where uuid = ?'
  await runAsyncCommit(
    em,
    query(mark, [outcome, uuid], () => undefined),
  )
}
