import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import type { FinalState, Violation } from '../final-state.ts'
import type { RequestRecord } from '../merchant-requests.ts'

/** What was accepted exists, and a key creates one operation however often it is sent. */
export function checkRequests(world: FinalState): Violation[] {
  const { charges, transfers, batches, refunds, disputes, depositReturns } = world
  const operations = [...charges, ...transfers, ...batches, ...refunds, ...disputes, ...depositReturns]
  const rows = new Set([...operations.map(row => row.uuid), ...world.keyLookups])
  const startedIds = new Set(world.startedWorkflowIds)
  return [
    ...world.requests.flatMap(asked => [
      ...findLostOperations(asked, rows, startedIds),
      ...findSplitKeys(asked),
      ...findIgnoredBodies(asked),
      ...findServerErrors(asked),
    ]),
    ...findNotFoundAndSent(world),
    ...findDuplicatedOperations(world),
  ]
}

/** A 2xx, a stored failure and a 503 that names a uuid refer to an existing operation. */
function findLostOperations(asked: RequestRecord, rows: Set<string>, startedIds: Set<string>): Violation[] {
  const named = new Map(
    asked.answers.flatMap(({ uuid, code, status }) => (uuid ? [[uuid, { code, status }]] : [])),
  )
  return [...named].flatMap(([uuid, { code, status }]) => {
    // "Not known whether it was taken": only a workflow that never started may have left no row.
    const mayBeNothing = code === 'not_confirmed' && !startedIds.has(workflowIdOf(asked.kind, uuid))
    return rows.has(uuid) || mayBeNothing
      ? []
      : [
          {
            rule: 'accepted_and_lost',
            where: describeRequest(asked, uuid),
            detail: `answered ${status} ${code ?? ''}`,
          },
        ]
  })
}

/** The id of the workflow that a request has started or updated. */
export function workflowIdOf(kind: RequestRecord['kind'], uuid: string): string {
  if (kind === 'refund') return WORKFLOWS.refund.idOf(uuid)
  if (kind === 'return_deposit') return WORKFLOWS.deposit_return.idOf(uuid)
  if (kind === 'reply') return WORKFLOWS.dispute.idOf(uuid)
  if (kind === 'look_up') return `key-lookup/${uuid}` // No workflow makes one.
  if (kind.endsWith('batch')) return WORKFLOWS.transfer_batch.idOf(uuid)
  return kind.endsWith('transfer') ? WORKFLOWS.transfer.idOf(uuid) : WORKFLOWS.charge.idOf(uuid)
}

/** All responses to one key are about one operation. */
function findSplitKeys(asked: RequestRecord): Violation[] {
  if (asked.key === null) return []
  const uuids = new Set(asked.answers.flatMap(({ uuid }) => uuid ?? []))
  return uuids.size > 1
    ? [{ rule: 'key_made_several', where: `${asked.kind} ${asked.key}`, detail: [...uuids].join(', ') }]
    : []
}

/** Another body under a used key is refused. */
function findIgnoredBodies(asked: RequestRecord): Violation[] {
  return asked.answers
    .filter(({ body, status }) => body === 'other' && status >= 200 && status < 300)
    .map(({ uuid }) => ({
      rule: 'other_body_taken',
      where: `${asked.kind} ${asked.key}`,
      detail: `as ${uuid}`,
    }))
}

/** 500 is an internal error under any fault. */
function findServerErrors(asked: RequestRecord): Violation[] {
  return asked.answers
    .filter(({ status }) => status === 500)
    .map(({ code }) => ({
      rule: 'answered_500',
      where: `${asked.kind} at ${asked.place}`,
      detail: `${code}`,
    }))
}

/** A payout without a key whose caller got "not confirmed" and then read 404 is not sent any more. */
function findNotFoundAndSent({ requests: asked, lines }: FinalState): Violation[] {
  const sent = new Set(
    lines.flatMap(({ kind, id }) => (kind === 'transfer' || kind === 'refund' ? [id] : [])),
  )
  return asked.flatMap(({ kind, place, absent }) =>
    absent
      .filter(uuid => sent.has(uuid.replaceAll('-', '')))
      .map(uuid => ({
        rule: 'absent_and_sent',
        where: `${kind} ${uuid}`,
        detail: `the caller at ${place} read that it does not exist`,
      })),
  )
}

/** Requests without an answer may have created an operation too, but never more than one each. */
function findDuplicatedOperations({ charges, transfers, batches, requests: asked }: FinalState): Violation[] {
  const named = batches.map(({ name }) => ({ externalRef: name }))
  const made = Map.groupBy([...charges, ...transfers, ...named], row => row.externalRef)
  return asked.flatMap(({ kind, externalRef, key, sent }) => {
    if (externalRef === null) return []
    const count = made.get(externalRef)?.length ?? 0
    const most = key === null ? sent : 1
    return count > most
      ? [
          {
            rule: 'request_multiplied',
            where: `${kind} ${externalRef}`,
            detail: `${count} rows of ${sent} requests`,
          },
        ]
      : []
  })
}

function describeRequest({ kind, key, place }: RequestRecord, uuid: string): string {
  return `${kind} ${uuid} (${key ?? `at ${place}`})`
}
