import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import type { Deposit, DepositFate } from '../activities/deposits.ts'
import { providers } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { askAfterNotice, Notices } from './asking.ts'

/** A PIX that names no charge of ours: credited when the provider confirms it; a forged one comes to nothing. */
export async function depositWorkflow(deposit: Deposit): Promise<DepositFate['kind']> {
  const notices = new Notices(deposit.timeScale, () => continueAsNew<typeof depositWorkflow>(deposit))
  const fate = await askAfterNotice(() => providers.takeDeposit(deposit), notices)
  if (fate.kind === 'taken') await startWhatIsLeft(fate, deposit.timeScale)
  setCurrentDetails(fate.kind === 'taken' ? 'Credited as a deposit' : 'The provider knows no such PIX')
  return fate.kind
}
