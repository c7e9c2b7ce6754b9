import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import { providers } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { Absence, askUntilKnown, Notices } from './asking.ts'

export type OrphanOrder = { attemptUuid: string; timeScale: number }

/** A payload that may exist at a provider though nobody was shown it: cancelled there, however long it takes. */
export async function orphanWorkflow({ attemptUuid, timeScale }: OrphanOrder): Promise<void> {
  const notices = new Notices(timeScale, () =>
    continueAsNew<typeof orphanWorkflow>({ attemptUuid, timeScale }),
  )
  const absence = new Absence(timeScale)
  setCurrentDetails('Cancelling a payload that nobody was shown')
  for (let lastLook = false; ; ) {
    const fate = await askUntilKnown(() => providers.closeOrphan({ attemptUuid, lastLook }), notices)
    if (fate.kind === 'closed') {
      await startWhatIsLeft(fate, timeScale)
      if (notices.waiting) continue
      setCurrentDetails('Closed: the provider confirms that it cannot be paid any more')
      return
    }
    const waitMs = absence.waitAfter(fate.settleWindowMs)
    if (waitMs === null) lastLook = true
    else await notices.orAfter(waitMs, 'not found: look again')
  }
}
