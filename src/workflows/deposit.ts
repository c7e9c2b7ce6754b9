import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import type { Deposit, DepositFate } from '../activities/deposits.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { providers } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { askUntilKnown, Notices } from './asking.ts'

/** A PIX that names no charge of ours: credited when the provider confirms it; a forged one comes to nothing. */
export async function depositWorkflow(deposit: Deposit): Promise<DepositFate['kind']> {
  const notices = new Notices(deposit.timeScale, () => continueAsNew<typeof depositWorkflow>(deposit))
  const ask = () => askUntilKnown(() => providers.takeDeposit(deposit), notices)
  let fate = await ask()
  // A notice may run ahead of the provider's own books, and another one come before they are written.
  const secondLookAt = Date.now() + scaled(WAITS.secondLook, deposit.timeScale)
  for (let now = Date.now(); fate.kind === 'absent' && now < secondLookAt; ) {
    await notices.orAfter((secondLookAt - now) * deposit.timeScale, 'second look')
    now = Date.now()
    fate = await ask()
  }
  if (fate.kind === 'taken') await startWhatIsLeft(fate, deposit.timeScale)
  setCurrentDetails(fate.kind === 'taken' ? 'Credited as a deposit' : 'The provider knows no such PIX')
  return fate.kind
}
