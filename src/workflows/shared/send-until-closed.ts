import { setCurrentDetails, sleep } from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'

type SendingResult<Outcome> = { kind: 'closed'; outcome: Outcome } | { kind: 'again'; code: string }

/** Repeats the sending of a message on its schedule until it is closed: sent, refused or expired. */
export async function sendUntilClosed<Outcome>(
  timeScale: number,
  send: (attempt: number) => Promise<SendingResult<Outcome>>,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const result = await send(attempt)
    if (result.kind === 'closed') return result.outcome
    setCurrentDetails(`Not sent yet (${result.code}): retried until it expires`)
    await sleep(scaleWait(WAITS.nextMessageAttempt(attempt), timeScale), {
      summary: `wait before attempt ${attempt + 1}`,
    })
  }
}
