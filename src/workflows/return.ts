import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import { WAITS } from '../domain/waits.ts'
import { providers, records, sending } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { askUntilKnown, Notices } from './asking.ts'
import type { OperatorsWord, Restored } from './messages.ts'
import { findAndFollow } from './seeking.ts'
import { type Final, sendOnce } from './sending.ts'

/** `goesOn`: what an earlier run of it was about when it had grown long. */
export type ReturnLife = {
  uuid: string
  connectionUuid: string
  timeScale: number
  goesOn?: 'in_doubt' | 'late_word'
  /** Its database was restored since: the provider is asked whether it went, and nothing is sent. */
  restored?: Restored
}

/** A PIX that is no charge's, sent back to its payer once, through the provider that received it. */
export async function returnWorkflow(order: ReturnLife): Promise<Final['kind']> {
  const { uuid, connectionUuid, timeScale } = order
  let { goesOn, restored } = order
  const notices = new Notices(timeScale, () => {
    const onward = { ...(goesOn && { goesOn }), ...(restored && { restored }) }
    return continueAsNew<typeof returnWorkflow>({ uuid, connectionUuid, timeScale, ...onward })
  })
  const ask = (asked: number, unlessFinal = false) =>
    notices.asked.askReturn({ uuid, connectionUuid, asked, unlessFinal })
  if (goesOn === 'in_doubt') notices.hearOperatorStill()
  if (goesOn === 'late_word' && (await hasSettledLate())) return settled()
  while (true) {
    const wasTold = notices.waiting
    // What is told before a sending is older than its answer.
    notices.taken()
    setCurrentDetails(
      restored ? 'Looking for an unmatched PIX that went back' : 'Sending an unmatched PIX back to its payer',
    )
    const follower = {
      connectionUuid,
      ask,
      settleBy: (word: OperatorsWord) => records.settleReturn({ uuid, connectionUuid, word }),
      pending(kind: 'in_process' | 'unknown') {
        goesOn = 'in_doubt'
        setCurrentDetails(`On its way back (${kind}); the provider is asked`)
      },
      notices,
    }
    const orderedAt = restored?.orderedAt
    const sent = restored
      ? await findAndFollow({
          hadSettled: restored.ended === 'settled',
          look: at => providers.seekReturn({ uuid, candidates: [connectionUuid], orderedAt, ...at }),
          follower: () => follower,
          notices,
        })
      : await sendOnce({ ...follower, send: again => sending.sendReturn({ uuid, connectionUuid, again }) })
    goesOn = undefined
    restored = undefined
    if (sent.kind === 'unreachable') {
      // Nothing left, and no other provider can return it: the same one is tried again.
      setCurrentDetails(`Not sent yet: provider unreachable (${sent.code}); tried again`)
      await notices.orAfter(WAITS.returnAgain, 'provider unreachable')
      // Told of though it never left: it went before a restore of the database, or somebody wants it tried now.
      if (notices.waiting && (await hasSettledLate())) return settled()
      continue
    }
    await startWhatIsLeft(sent, timeScale)
    if (sent.kind === 'settled') return settled()
    setCurrentDetails(`Not sent back: ${sent.code}`)
    // A life that is woken finds what it was refused before: only its provider knows whether the money went after all.
    return (wasTold || notices.waiting) && (await hasSettledLate()) ? settled() : sent.kind
  }

  async function hasSettledLate(): Promise<boolean> {
    goesOn = 'late_word'
    for (;;) {
      const told = await askUntilKnown(ask, notices)
      if ('deliveries' in told) await startWhatIsLeft(told, timeScale)
      if (told.kind !== 'settled' && notices.waiting) continue
      goesOn = undefined
      return told.kind === 'settled'
    }
  }
}

function settled(): 'settled' {
  setCurrentDetails('Returned to its payer')
  return 'settled'
}
