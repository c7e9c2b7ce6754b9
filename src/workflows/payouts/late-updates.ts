import { WAITS } from '../../domain/shared/intervals.ts'
import type { PollResult } from '../contracts/payouts.ts'
import type { ProviderInbox } from '../shared/provider-inbox.ts'
import { hasUnknownReturns } from './execute-payout.ts'

/** `poll` polls one connection; `onUnanswered` is called with those that gave no answer, before they are polled again. */
type LateUpdatePolling = {
  poll: (connectionUuid: string, pollCount: number) => Promise<PollResult>
  onUnanswered: (connections: string[]) => void
}

/** Polls every connection that a notification came through, until it answers. */
export async function pollLateUpdates(inbox: ProviderInbox, { poll, onUnanswered }: LateUpdatePolling) {
  let connections = inbox.drain()
  for (let pollCount = 0; connections.length > 0; pollCount++) {
    const unanswered: string[] = []
    for (const connectionUuid of connections) {
      const result = await poll(connectionUuid, pollCount)
      if (result.kind === 'unknown' || hasUnknownReturns(result)) unanswered.push(connectionUuid)
    }
    onUnanswered(unanswered)
    if (unanswered.length > 0)
      await inbox.waitForNotification(WAITS.nextPoll(pollCount + 1), 'no response: next poll')
    connections = [...new Set([...unanswered, ...inbox.drain()])]
  }
}
