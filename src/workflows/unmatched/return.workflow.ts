import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import { WAITS } from '../../domain/shared/intervals.ts'
import type { ManualSettlement, PreRestoreState } from '../contracts/messages.ts'
import { executePayout, type TerminalOutcome } from '../payouts/execute-payout.ts'
import { findRestoredPayout } from '../payouts/restore.ts'
import { dbActivities, idempotentProviderActivities, payoutActivities } from '../shared/activity-proxies.ts'
import { ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/** `goesOn`: what an earlier run of it was about when it had grown long. */
export type ReturnPaymentInput = {
  uuid: string
  connectionUuid: string
  timeScale: number
  continuation?: 'unknown_outcome' | 'late_update'
  /** Its database was restored since: the provider is asked whether it went, and nothing is sent. */
  restored?: PreRestoreState
}

/** A PIX that is no charge's, sent back to its payer once, through the provider that received it. */
export async function returnWorkflow(order: ReturnPaymentInput): Promise<TerminalOutcome['kind']> {
  const { uuid, connectionUuid, timeScale } = order
  let { continuation: goesOn, restored } = order
  const notices = new ProviderInbox(timeScale, () => {
    const onward = { ...(goesOn && { continuation: goesOn }), ...(restored && { restored }) }
    return continueAsNew<typeof returnWorkflow>({ uuid, connectionUuid, timeScale, ...onward })
  })
  const ask = (asked: number, canAnswerFromRow = false) =>
    notices.pollActivities.pollReturn({
      uuid,
      connectionUuid,
      pollCount: asked,
      canAnswerFromRow: canAnswerFromRow,
    })
  if (goesOn === 'unknown_outcome') notices.resumeManualSettlement()
  if (goesOn === 'late_update' && (await hasSettledLate())) return completeSettled()
  while (true) {
    const wasTold = notices.hasPending
    // What is told before a sending is older than its answer.
    notices.markProcessed()
    setCurrentDetails(
      restored ? 'Looking for an unmatched PIX that went back' : 'Sending an unmatched PIX back to its payer',
    )
    const follower = {
      connectionUuid,
      poll: ask,
      settleManually: (word: ManualSettlement) =>
        dbActivities.manuallySettleReturn({ uuid, connectionUuid, signal: word }),
      onPending(kind: 'in_process' | 'unknown') {
        goesOn = 'unknown_outcome'
        setCurrentDetails(`On its way back (${kind}); the provider is asked`)
      },
      inbox: notices,
    }
    const orderedAt = restored?.orderedAt
    const sent = restored
      ? await findRestoredPayout({
          hadSettled: restored.ended === 'settled',
          searchProviders: at =>
            idempotentProviderActivities.restoreReturn({
              uuid,
              candidates: [connectionUuid],
              orderedAt,
              ...at,
            }),
          portFor: () => follower,
          inbox: notices,
        })
      : await executePayout({
          ...follower,
          send: again => payoutActivities.sendReturn({ uuid, connectionUuid, isResend: again }),
        })
    goesOn = undefined
    restored = undefined
    if (sent.kind === 'unreachable') {
      // Nothing left, and no other provider can return it: the same one is tried again.
      setCurrentDetails(`Not sent yet: provider unreachable (${sent.code}); tried again`)
      await notices.waitForNotification(WAITS.retryReturn, 'provider unreachable')
      // Told of though it never left: it went before a restore of the database, or somebody wants it tried now.
      if (notices.hasPending && (await hasSettledLate())) return completeSettled()
      continue
    }
    await startFollowUps(sent, timeScale)
    if (sent.kind === 'settled') return completeSettled()
    setCurrentDetails(`Not sent back: ${sent.code}`)
    // A life that is woken finds what it was refused before: only its provider knows whether the money went after all.
    return (wasTold || notices.hasPending) && (await hasSettledLate()) ? completeSettled() : sent.kind
  }

  async function hasSettledLate(): Promise<boolean> {
    goesOn = 'late_update'
    for (;;) {
      const told = await pollUntilResolved(ask, notices)
      if ('deliveries' in told) await startFollowUps(told, timeScale)
      if (told.kind !== 'settled' && notices.hasPending) continue
      goesOn = undefined
      return told.kind === 'settled'
    }
  }
}

function completeSettled(): 'settled' {
  setCurrentDetails('Returned to its payer')
  return 'settled'
}
