import { hostname } from 'node:os'
import { isThrottled, isWithoutAnswer } from '../../domain/providers/answer-judgement.ts'
import { isConnectFailure } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Connection } from '../entities/connection.ts'
import { selectValues } from '../select-values.ts'

/**
 * SPEC §6: a connection's circuit breaker opens after 5 calls without a useful answer in 30 s, or 5 such orders of one
 * kind in a row, and lets one probe through every 10 s. Its state is a row, so that all workers share it; a connection
 * that answers costs no statement. A failure to connect opens the breaker only if no other worker has received an answer
 * within those 30 s: otherwise the fault is this worker's own network.
 */
const FAILURES_TO_OPEN = 5
const FAILURE_WINDOW = '30 seconds'
const PROBE_INTERVAL = '10 seconds'
/** Only a call changes a breaker: one without orders since says nothing about its provider's present state. */
const OPEN_BREAKER_MAX_AGE = '15 minutes'

/** SQL condition on the row `b` of a breaker: it is open, and a call has confirmed that lately. */
export const IS_OPEN_CIRCUIT_SQL = `b.opened_at is not null
    and greatest(b.opened_at, b.probed_at) > now() - interval '${OPEN_BREAKER_MAX_AGE}'`

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

/** Closes an open breaker; false where it is closed already. The next failures open it again. */
export async function resetCircuit(em: EntityManager, connectionUuid: string): Promise<boolean> {
  const closed = await selectValues<string>(
    em,
    `update circuit_breaker set failures = '{}', failed_charges = 0, failed_payouts = 0, opened_at = null, probed_at = null
     where connection_uuid = ? and opened_at is not null returning connection_uuid`,
    [connectionUuid],
  )
  return closed.length > 0
}

/** Name of this process in the rows of breakers. */
const WORKER_NAME = `${hostname()}:${process.pid}`

type CircuitCallOutcome = { kind: string; code?: string; isUnprocessed?: true }

/** Kinds of orders that a breaker routes: charges, and payouts, which the API sends to another candidate. */
export type CircuitOrder = 'charge' | 'payout'

/** SQL condition: a worker other than the parameter's received an answer within the window. */
const ANSWERED_BY_OTHER_WORKER = `coalesce(circuit_breaker.answered_at > now() - interval '${FAILURE_WINDOW}' and circuit_breaker.answered_by <> ?, false)`

type CircuitCall = {
  outcome: CircuitCallOutcome
  /** Absent of a look-up, and of other calls that no breaker routes. */
  order?: CircuitOrder
  worker?: string
}

/**
 * Records the outcome of a call. A useful answer to an order closes a breaker that had failures when the call began,
 * unless the orders of the other kind keep it open. The answer to a look-up does so only where no orders in a row have
 * failed, or where they did so some time ago: a provider that answers look-ups may fail every order. A call that was not made
 * because of its provider's pace changes nothing, nor does a look-up that the provider refused with 429.
 */
export async function recordCircuitResult(
  em: EntityManager,
  { uuid: connectionUuid, isDistrusted }: Pick<Connection, 'uuid' | 'isDistrusted'>,
  { outcome, order, worker = WORKER_NAME }: CircuitCall,
): Promise<void> {
  if (isThrottled(outcome)) return
  const isFailure = isWithoutAnswer(outcome)
  if (!isFailure && !isDistrusted) return
  const call = { outcome, worker, isCharge: order === 'charge', isPayout: order === 'payout' }
  if (isFailure) await recordCircuitFailure(em, connectionUuid, call)
  else await recordCircuitAnswer(em, connectionUuid, call)
}

type RecordedCircuitCall = {
  outcome: CircuitCallOutcome
  isCharge: boolean
  isPayout: boolean
  worker: string
}

function recordCircuitAnswer(
  em: EntityManager,
  connectionUuid: string,
  { isCharge, isPayout, worker }: RecordedCircuitCall,
): Promise<unknown> {
  const isOver = `coalesce(b.opened_at < now() - interval '${OPEN_BREAKER_MAX_AGE}', false)`
  return em.execute(
    `update circuit_breaker set failures = '{}', failed_charges = kept.charges, failed_payouts = kept.payouts,
       opened_at = case when greatest(kept.charges, kept.payouts) >= ${FAILURES_TO_OPEN} then circuit_breaker.opened_at end,
       probed_at = case when greatest(kept.charges, kept.payouts) >= ${FAILURES_TO_OPEN} then circuit_breaker.probed_at end,
       answered_at = now(), answered_by = ?
     from (select b.connection_uuid,
         case when ?::boolean or ${isOver} then 0 else b.failed_charges end as charges,
         case when ?::boolean or ${isOver} then 0 else b.failed_payouts end as payouts
       from circuit_breaker b where b.connection_uuid = ? for update) kept
     where circuit_breaker.connection_uuid = kept.connection_uuid`,
    [worker, isCharge, isPayout, connectionUuid],
  )
}

function recordCircuitFailure(
  em: EntityManager,
  connectionUuid: string,
  { outcome, isCharge, isPayout, worker }: RecordedCircuitCall,
): Promise<unknown> {
  // Without a connection look-ups fail too, and their answers show when it is back.
  const isOrderFailure = !isConnectFailure(outcome)
  return em.execute(
    `insert into circuit_breaker (connection_uuid, failures, failed_charges, failed_payouts)
     values (?, array[now()], ?::int, ?::int)
     on conflict (connection_uuid) do update set
       failures = (select coalesce(array_agg(at), '{}') from unnest(circuit_breaker.failures) as at
                   where at > now() - interval '${FAILURE_WINDOW}') || now(),
       failed_charges = circuit_breaker.failed_charges + excluded.failed_charges,
       failed_payouts = circuit_breaker.failed_payouts + excluded.failed_payouts,
       opened_at = case when ?::boolean and ${ANSWERED_BY_OTHER_WORKER} then circuit_breaker.opened_at
                        when circuit_breaker.opened_at is not null
                          or circuit_breaker.failed_charges + excluded.failed_charges >= ${FAILURES_TO_OPEN}
                          or circuit_breaker.failed_payouts + excluded.failed_payouts >= ${FAILURES_TO_OPEN}
                          or (select count(*) from unnest(circuit_breaker.failures) as at
                              where at > now() - interval '${FAILURE_WINDOW}') + 1 >= ${FAILURES_TO_OPEN}
                        then now() end`,
    [
      ...[connectionUuid, Number(isOrderFailure && isCharge), Number(isOrderFailure && isPayout)],
      ...[!isOrderFailure, worker],
    ],
  )
}
