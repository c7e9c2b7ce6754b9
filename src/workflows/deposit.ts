import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import type { Deposit, DepositFate } from '../activities/deposits.ts'
import { providers } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { askAfterNotice, Notices } from './asking.ts'

/**
 * A PIX whose notice names no charge of ours: credited when the provider confirms it, unless it names one there; a forged one
 * comes to nothing.
 */
export async function depositWorkflow(deposit: Deposit): Promise<DepositFate['kind']> {
  const notices = new Notices(deposit.timeScale, () => continueAsNew<typeof depositWorkflow>(deposit))
  const fate = await askAfterNotice(() => providers.takeDeposit(deposit), notices)
  if (fate.kind === 'taken') await startWhatIsLeft(fate, deposit.timeScale)
  setCurrentDetails(SENTENCES[fate.kind])
  return fate.kind
}

const SENTENCES: Record<Exclude<DepositFate['kind'], 'no_answer'>, string> = {
  taken: 'Credited as a deposit',
  expected: 'It names a charge of ours, which was told to ask',
  absent: 'The provider knows no such PIX',
}
