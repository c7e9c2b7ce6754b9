import { hostname } from 'node:os'
import { isTransportCode, isWithoutAnswer } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Connection } from '../entities/connection.ts'

/**
 * SPEC §6: a connection's breaker opens after 5 calls without an answer in 30 s and lets one probe through every 10 s.
 * Its state is a row, so that all workers see the same; a connection that answers well costs no statement. A failure to
 * connect opens it only if no other worker has had an answer within those 30 s: else the fault is this worker's way out.
 */
const FAILURES_TO_OPEN = 5
const FAILURE_WINDOW = '30 seconds'
const PROBE_INTERVAL = '10 seconds'

/**
 * The candidates as they are to be tried: those in order whose breaker is closed or whose probe this call takes,
 * then the open ones, because an open breaker is a guess and the last one is still worth asking.
 */
export async function orderByCircuitState(em: EntityManager, connectionUuids: string[]): Promise<string[]> {
  if (connectionUuids.length < 2) return connectionUuids
  const open: { connection_uuid: string }[] = await em.execute(
    'select connection_uuid from breaker where connection_uuid = any(array[?]::uuid[]) and opened_at is not null',
    [connectionUuids],
  )
  if (open.length === 0) return connectionUuids
  const probed: { connection_uuid: string }[] = await em.execute(
    `update breaker set probed_at = now() where connection_uuid = any(array[?]::uuid[]) and opened_at is not null
       and greatest(opened_at, probed_at) < now() - interval '${PROBE_INTERVAL}' returning connection_uuid`,
    [connectionUuids],
  )
  const distrusted = new Set(open.map(row => row.connection_uuid))
  for (const row of probed) distrusted.delete(row.connection_uuid)
  return [
    ...connectionUuids.filter(uuid => !distrusted.has(uuid)),
    ...connectionUuids.filter(uuid => distrusted.has(uuid)),
  ]
}

/** A provider that has said so much did answer, though not yet what it was asked. */
const PARTIAL_ANSWER_CODE = 'payment_not_listed'

/** The name of this process in the rows of breakers. */
const WORKER_NAME = `${hostname()}:${process.pid}`

type CircuitCallOutcome = { kind: string; code?: string; isUnprocessed?: true }

/** Whether the request never left this worker. */
function isConnectFailure({ kind, code, isUnprocessed }: CircuitCallOutcome): boolean {
  return kind === 'unreachable' || (kind === 'no_answer' && isUnprocessed === true && isTransportCode(code))
}

/** SQL of whether another worker than the one of the parameter had an answer lately. */
const ANSWERED_BY_OTHER_WORKER = `coalesce(breaker.answered_at > now() - interval '${FAILURE_WINDOW}' and breaker.answered_by <> ?, false)`

/** Counts the outcome of a call: an answer, whatever it says, closes a breaker that was not closed when the call began. */
export async function recordCircuitResult(
  em: EntityManager,
  { uuid: connectionUuid, isDistrusted }: Pick<Connection, 'uuid' | 'isDistrusted'>,
  outcome: CircuitCallOutcome,
  worker = WORKER_NAME,
): Promise<void> {
  const { kind, code } = outcome
  const answered = !isWithoutAnswer(kind) || code === PARTIAL_ANSWER_CODE
  if (answered && !isDistrusted) return
  if (answered) {
    await em.execute(
      `update breaker set failures = '{}', opened_at = null, probed_at = null, answered_at = now(), answered_by = ?
       where connection_uuid = ?`,
      [worker, connectionUuid],
    )
    return
  }
  await em.execute(
    `insert into breaker (connection_uuid, failures) values (?, array[now()])
     on conflict (connection_uuid) do update set
       failures = (select coalesce(array_agg(at), '{}') from unnest(breaker.failures) as at
                   where at > now() - interval '${FAILURE_WINDOW}') || now(),
       opened_at = case when ?::boolean and ${ANSWERED_BY_OTHER_WORKER} then breaker.opened_at
                        when breaker.opened_at is not null
                          or (select count(*) from unnest(breaker.failures) as at
                              where at > now() - interval '${FAILURE_WINDOW}') + 1 >= ${FAILURES_TO_OPEN}
                        then now() end`,
    [connectionUuid, isConnectFailure(outcome), worker],
  )
}

/** Whether another worker has had an answer through one of these connections within the window of a breaker. */
export async function isAnsweredByOtherWorker(
  em: EntityManager,
  connectionUuids: string[],
  worker = WORKER_NAME,
): Promise<boolean> {
  const rows: object[] = await em.execute(
    `select from breaker where connection_uuid = any(array[?]::uuid[]) and ${ANSWERED_BY_OTHER_WORKER} limit 1`,
    [connectionUuids, worker],
  )
  return rows.length > 0
}
