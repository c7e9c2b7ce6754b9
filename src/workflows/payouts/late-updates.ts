import { WAITS } from '../../domain/shared/intervals.ts'
import type { PollResult } from '../contracts/payouts.ts'
import type { ProviderInbox } from '../shared/provider-inbox.ts'
import { hasUnknownReturns } from './execute-payout.ts'

/** `poll` polls one connection; `onUnanswered` receives those without an answer before they are polled again. */
type LateUpdatePolling = {
  poll: (connectionUuid: string, pollCount: number) => Promise<PollResult>
  onUnanswered: (connections: string[]) => void
}

/** Polls every connection that a notification came through, until it answers. */
export async function pollLateUpdates(inbox: ProviderInbox, { poll, onUnanswered }: LateUpdatePolling) {
  let toPoll = inbox.drain()
  for (let pollCount = 0; toPoll.length > 0; pollCount++) {
    const unanswered: string[] = []
    for (const connectionUuid of toPoll) {
      const result = await poll(connectionUuid, pollCount)
      if (result.kind === 'unknown' || hasUnknownReturns(result)) unanswered.push(connectionUuid)
    }
    onUnanswered(unanswered)
    if (unanswered.length > 0)
      await inbox.waitForNotification(WAITS.nextPoll(pollCount + 1), 'no response: next poll')
    toPoll = [...new Set([...unanswered, ...inbox.drain()])]
  }
}
