import type { PollResult } from '../../activities/payouts/payout-handler.ts'
import { WAITS } from '../../domain/shared/intervals.ts'
import type { ProviderInbox } from '../shared/provider-inbox.ts'
import { hasUnknownReturns } from './execute-payout.ts'

/** `ask` polls one connection; `silent` receives those without an answer before they are polled again. */
type LateUpdatePolling = {
  poll: (connectionUuid: string, asked: number) => Promise<PollResult>
  onUnanswered: (connections: string[]) => void
}

/** Polls every connection that a notification came through, until it answers. */
export async function pollLateUpdates(
  notices: ProviderInbox,
  { poll: ask, onUnanswered: silent }: LateUpdatePolling,
): Promise<void> {
  let unheard = notices.drain()
  for (let asked = 0; unheard.length > 0; asked++) {
    const unanswered: string[] = []
    for (const connectionUuid of unheard) {
      const told = await ask(connectionUuid, asked)
      if (told.kind === 'unknown' || hasUnknownReturns(told)) unanswered.push(connectionUuid)
    }
    silent(unanswered)
    if (unanswered.length > 0)
      await notices.waitForNotification(WAITS.nextPoll(asked + 1), 'no answer: ask again')
    unheard = [...new Set([...unanswered, ...notices.drain()])]
  }
}
