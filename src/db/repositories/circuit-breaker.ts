import { hostname } from 'node:os'
import { isConnectFailure, isWithoutAnswer } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Connection } from '../entities/connection.ts'
import { selectValues } from '../select-values.ts'
import { recordOperatorAction } from './operator-actions.ts'

/**
 * SPEC §6: a connection's circuit breaker opens after 5 calls without an answer in 30 s and lets one probe through
 * every 10 s. Its state is a row, so that all workers share it; a connection that answers costs no statement. A
 * failure to connect opens the breaker only if no other worker has received an answer within those 30 s: otherwise
 * the fault is this worker's own network.
 */
const FAILURES_TO_OPEN = 5
const FAILURE_WINDOW = '30 seconds'
const PROBE_INTERVAL = '10 seconds'

/**
 * Orders candidates for a call: first those whose breaker is closed, or whose probe this call takes; then the open
 * ones, because an open breaker is a guess and the last candidate is still worth a call.
 */
export async function orderByCircuitState(em: EntityManager, connectionUuids: string[]): Promise<string[]> {
  if (connectionUuids.length < 2) return connectionUuids
  const distrusted = await findOpenCircuits(em, connectionUuids)
  if (distrusted.size === 0) return connectionUuids
  const probed: string[] = await selectValues(
    em,
    `update circuit_breaker set probed_at = now() where connection_uuid = any(array[?]::uuid[]) and opened_at is not null
       and greatest(opened_at, probed_at) < now() - interval '${PROBE_INTERVAL}' returning connection_uuid`,
    [connectionUuids],
  )
  for (const uuid of probed) distrusted.delete(uuid)
  return [
    ...connectionUuids.filter(uuid => !distrusted.has(uuid)),
    ...connectionUuids.filter(uuid => distrusted.has(uuid)),
  ]
}

/** Finds which of the connections have an open breaker. */
export async function findOpenCircuits(em: EntityManager, connectionUuids: string[]): Promise<Set<string>> {
  const uuids: string[] = await selectValues(
    em,
    'select connection_uuid from circuit_breaker where connection_uuid = any(array[?]::uuid[]) and opened_at is not null',
    [connectionUuids],
  )
  return new Set(uuids)
}

/**
 * Closes an open breaker for an operator, in one transaction with its record; false where it is closed already. The
 * next failures open it again.
 */
export function closeCircuit(
  em: EntityManager,
  { connectionUuid, actor, reason }: { connectionUuid: string; actor: string; reason: string },
): Promise<boolean> {
  return em.transactional(async tx => {
    const closed = await selectValues<string>(
      tx,
      `update circuit_breaker set failures = '{}', opened_at = null, probed_at = null
       where connection_uuid = ? and opened_at is not null returning connection_uuid`,
      [connectionUuid],
    )
    if (closed.length === 0) return false
    const subject = `connection/${connectionUuid}`
    await recordOperatorAction(tx, { actor, action: 'breaker_reset', subject, reason })
    return true
  })
}

/** Codes of outcomes with an answer that leaves the result unknown: the provider did respond. */
const PARTIAL_ANSWER_CODES = ['payment_not_listed', 'payment_unidentified']

/** Name of this process in the rows of breakers. */
const WORKER_NAME = `${hostname()}:${process.pid}`

type CircuitCallOutcome = { kind: string; code?: string; isUnprocessed?: true }

/** SQL condition: a worker other than the parameter's received an answer within the window. */
const ANSWERED_BY_OTHER_WORKER = `coalesce(circuit_breaker.answered_at > now() - interval '${FAILURE_WINDOW}' and circuit_breaker.answered_by <> ?, false)`

/** Records the outcome of a call: any answer closes a breaker that had failures when the call began. */
export async function recordCircuitResult(
  em: EntityManager,
  { uuid: connectionUuid, isDistrusted }: Pick<Connection, 'uuid' | 'isDistrusted'>,
  outcome: CircuitCallOutcome,
  worker = WORKER_NAME,
): Promise<void> {
  const { kind, code } = outcome
  const answered = !isWithoutAnswer(kind) || PARTIAL_ANSWER_CODES.includes(code ?? '')
  if (answered && !isDistrusted) return
  if (answered) {
    await em.execute(
      `update circuit_breaker set failures = '{}', opened_at = null, probed_at = null, answered_at = now(), answered_by = ?
       where connection_uuid = ?`,
      [worker, connectionUuid],
    )
    return
  }
  await em.execute(
    `insert into circuit_breaker (connection_uuid, failures) values (?, array[now()])
     on conflict (connection_uuid) do update set
       failures = (select coalesce(array_agg(at), '{}') from unnest(circuit_breaker.failures) as at
                   where at > now() - interval '${FAILURE_WINDOW}') || now(),
       opened_at = case when ?::boolean and ${ANSWERED_BY_OTHER_WORKER} then circuit_breaker.opened_at
                        when circuit_breaker.opened_at is not null
                          or (select count(*) from unnest(circuit_breaker.failures) as at
                              where at > now() - interval '${FAILURE_WINDOW}') + 1 >= ${FAILURES_TO_OPEN}
                        then now() end`,
    [connectionUuid, isConnectFailure(outcome), worker],
  )
}
