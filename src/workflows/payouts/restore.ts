import { WAITS } from '../../domain/shared/intervals.ts'
import type {
  PollResult,
  RestorePayoutInput,
  RestorePayoutResult,
  UnfinishedPayout,
} from '../contracts/payouts.ts'
import type { PreRestoreState } from '../contracts/reopening.ts'
import { idempotentProviderActivities } from '../shared/activity-proxies.ts'
import { AbsenceProof } from '../shared/provider-inbox.ts'
import {
  createPollingPort,
  executePayout,
  type PayoutPort,
  type PayoutRun,
  type TerminalOutcome,
  UnknownOutcomeAlert,
} from './execute-payout.ts'

/** `hadSettled`: it had settled before the restore, so no "not found" proves that it was not sent. */
export type PayoutSearch = UnfinishedPayout & { hadSettled: boolean }

/** Builds the search of a payout that goes through one connection only. */
export function searchAt(connectionUuid: string, { orderedAt, ended }: PreRestoreState): PayoutSearch {
  return { candidates: [connectionUuid], orderedAt, hadSettled: ended === 'settled' }
}

/**
 * Finds a payout whose database was restored to a time before it was sent (SPEC §11), and polls it to its end. Sends nothing:
 * where all candidates have twice answered "not found", the last poll closes it.
 */
export async function findRestoredPayout(
  run: PayoutRun,
  { hadSettled, ...search }: PayoutSearch,
): Promise<TerminalOutcome> {
  const { noun, uuid, inbox } = run
  let absenceProof = new AbsenceProof(inbox.timeScale)
  const alert = new UnknownOutcomeAlert(inbox.timeScale)
  let isFinalPoll = false
  inbox.enableManualSettlement()
  for (let pollCount = 0; ; pollCount++) {
    inbox.markProcessed()
    const input: RestorePayoutInput = { uuid, ...search, pollCount, isFinalPoll }
    const result: RestorePayoutResult = await idempotentProviderActivities[`restore${noun}`](input)
    if (result.kind === 'found') {
      alert.clear()
      return pollFoundPayout(createPollingPort(run, result.connectionUuid))
    }
    if (result.kind === 'rejected') return complete(result)
    if (result.kind === 'unknown' && result.code === 'awaiting_approval') {
      // An order that can be approved has arrived at its provider: no earlier "not found" counts.
      absenceProof = new AbsenceProof(inbox.timeScale)
      isFinalPoll = false
    }
    const isNotFound = result.kind === 'not_found' && !hadSettled
    const waitMs = isNotFound
      ? absenceProof.recordNotFound(result.settleWindowMs)
      : WAITS.nextPoll(pollCount + 1)
    isFinalPoll ||= waitMs === null
    if (waitMs === null) continue
    if (!isNotFound) alert.markUnknown()
    const { onPending, settleManually } = createPollingPort(run, result.connectionUuid)
    onPending('unknown')
    await inbox.waitForNotification(waitMs, `${result.kind}: next poll`)
    const settlement = inbox.nextManualSettlement()
    const outcome = settlement && (await settleManually(settlement))
    if (outcome?.kind === 'settled' || outcome?.kind === 'rejected') return complete(outcome)
  }

  function complete(outcome: TerminalOutcome): TerminalOutcome {
    alert.clear()
    inbox.disableManualSettlement()
    return outcome
  }
}

/** Runs `executePayout` with polls in place of sends: the provider has the payout. */
function pollFoundPayout({ poll, ...port }: Omit<PayoutPort, 'send'>): Promise<TerminalOutcome> {
  const pollStarted = async (pollCount: number, canAnswerFromRow?: boolean): Promise<PollResult> => {
    const result = await poll(pollCount, canAnswerFromRow)
    return result.kind === 'not_started' ? { kind: 'unknown', code: result.kind } : result
  }
  return executePayout({ ...port, poll: pollStarted, send: () => pollStarted(0) })
}
