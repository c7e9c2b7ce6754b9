import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'
import type { SimulatedAccountOptions } from '../../control/schemas.ts'

/** Reads how the account is served where Woovi's publications leave a choice. */
export function readAccountOptions({ options }: SimulatedAccount): SimulatedAccountOptions {
  return JSON.parse(options) as SimulatedAccountOptions
}

/** Lists the accounts of an account's company, the default one first; an account without a company is alone. */
export function listCompanyAccounts(
  accounts: SimulatedAccounts,
  account: SimulatedAccount,
): SimulatedAccount[] {
  const { company } = readAccountOptions(account)
  if (company === undefined) return [account]
  return accounts
    .listByProvider(account.provider)
    .filter(one => one.dialect === 'woovi' && readAccountOptions(one).company === company)
}
