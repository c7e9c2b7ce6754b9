import { setCurrentDetails } from '@temporalio/workflow'
import type { OrphanFate } from '../activities/orphans.ts'
import { WAITS } from '../domain/waits.ts'
import { providers } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { askUntilKnown, Notices } from './asking.ts'

export type OrphanOrder = { attemptUuid: string; timeScale: number }

/** A payload that may exist at a provider though nobody was shown it: cancelled there, however long it takes. */
export async function orphanWorkflow({ attemptUuid, timeScale }: OrphanOrder): Promise<void> {
  const notices = new Notices()
  const ask = (lastLook: boolean) =>
    askUntilKnown<OrphanFate>(() => providers.closeOrphan({ attemptUuid, lastLook }), {
      notices,
      timeScale,
      isKnown: fate => fate.kind !== 'no_answer',
    })
  setCurrentDetails('Cancelling a payload that nobody was shown')
  let fate = await ask(false)
  if (fate.kind === 'absent') {
    // It may still arrive within the settle window; two looks after it prove that it never did.
    await notices.orAfter(fate.settleWindowMs, timeScale, 'settle window')
    fate = await ask(false)
  }
  if (fate.kind === 'absent') {
    await notices.orAfter(WAITS.secondLook, timeScale, 'second look')
    fate = await ask(true)
  }
  if (fate.kind === 'closed') await startWhatIsLeft(fate, timeScale)
  setCurrentDetails('Closed: the provider confirms that it cannot be paid any more')
}
