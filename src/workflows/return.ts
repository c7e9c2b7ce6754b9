import { setCurrentDetails } from '@temporalio/workflow'
import { WAITS } from '../domain/waits.ts'
import { providers, records, sending } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { Notices } from './asking.ts'
import { type Final, sendOnce } from './sending.ts'

export type ReturnLife = { uuid: string; connectionUuid: string; timeScale: number }

/** A PIX that is no charge's, sent back to its payer once, through the provider that received it. */
export async function returnWorkflow({
  uuid,
  connectionUuid,
  timeScale,
}: ReturnLife): Promise<Final['kind']> {
  const notices = new Notices(timeScale)
  while (true) {
    // What is told before a sending is older than its answer.
    notices.taken()
    setCurrentDetails('Sending an unmatched PIX back to its payer')
    const sent = await sendOnce({
      connectionUuid,
      send: again => sending.sendReturn({ uuid, connectionUuid, again }),
      ask: asked => providers.askReturn({ uuid, connectionUuid, asked }),
      settleBy: word => records.settleReturn({ uuid, connectionUuid, word }),
      pending: kind => setCurrentDetails(`On its way back (${kind}); the provider is asked`),
      notices,
    })
    if (sent.kind === 'unreachable') {
      // Nothing left, and no other provider can return it: the same one is tried again.
      setCurrentDetails(`The provider cannot be reached (${sent.code}); tried again`)
      await notices.orAfter(WAITS.returnAgain, 'provider unreachable')
      continue
    }
    await startWhatIsLeft(sent, timeScale)
    setCurrentDetails(
      sent.kind === 'settled' ? 'Returned to its payer' : `The provider refuses the return: ${sent.code}`,
    )
    return sent.kind
  }
}
