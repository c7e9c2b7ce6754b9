import { expect, test } from '@jest/globals'
import type { BankApiName } from './bank-server.ts'
import { isListCase, listOddCases, type OddCase } from './cases.ts'
import { findFaults, runOddCases } from './run.ts'

/** A part of `npm run chaos:bank`: the same few cases of each bank, together against one stack. */

const SEED = 1
const CASES_PER_BANK = 32
/** Lists are read seldom and timeouts last: such cases would make the test long. */
const isQuick = ({ oddity, isNotified, ...oddCase }: OddCase) =>
  !isListCase(oddCase) && isNotified && !oddity.name.startsWith('timeout')

const chooseCases = (api: BankApiName) => listOddCases(api, SEED).filter(isQuick).slice(0, CASES_PER_BANK)

test('no odd answer makes money move twice, a final state wrong, or an order ownerless', async () => {
  const cases = [...chooseCases('efi'), ...chooseCases('woovi')]
  const result = await runOddCases({ cases, concurrency: cases.length, restLimitMs: 120_000 })
  expect(findFaults(result)).toEqual([])
  const answered = result.cases.filter(({ oddAnswers }) => oddAnswers > 0)
  expect(answered.length).toBeGreaterThan(cases.length / 2)
})
