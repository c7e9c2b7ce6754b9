import type { FinalState, ProviderStatementLine, Violation } from '../final-state.ts'
import { sumCents, violationIf } from './violations.ts'

/** SPEC §7: accounts that share an account at a bank have together what is there, and each only its own. */
export function checkSharedAccounts(world: FinalState): Violation[] {
  return [...findExcessAvailable(world), ...findLinesOfOtherAccounts(world)]
}

/** What is available to all accounts is never more than the bank has, and the service has advanced. */
function findExcessAvailable({ buckets, holdings, merchantAccounts }: FinalState): Violation[] {
  const merchants = new Set(merchantAccounts)
  return holdings.flatMap(({ providerAccount, cents }) => {
    const there = buckets.filter(one => one.providerAccount === providerAccount)
    const availableCents = sumCents(
      there
        .filter(({ account, bucket }) => bucket === 'available' && merchants.has(account))
        .map(one => one.cents),
    )
    const advancedCents = -sumCents(there.filter(one => one.bucket === 'shortfall').map(one => one.cents))
    return violationIf(
      availableCents > cents + advancedCents,
      'available_above_bank',
      providerAccount,
      `${availableCents} of ${cents}, advanced ${advancedCents}`,
    )
  })
}

/** Each PIX that the bank lists of an operation is on the statement of the account whose operation it is, on no other. */
function findLinesOfOtherAccounts(world: FinalState): Violation[] {
  const ownerOf = createOwnerFinder(world)
  const holders = Map.groupBy(
    world.statements.flatMap(({ account, rows }) =>
      rows
        .filter(({ endToEnd, status }) => endToEnd !== '' && status !== 'FAILED')
        .map(({ providerAccount, endToEnd }) => ({ account, pix: `${providerAccount} ${endToEnd}` })),
    ),
    ({ pix }) => pix,
  )
  return world.lines.flatMap(line => {
    const owner = ownerOf(line)
    const pix = `${line.providerAccount} ${line.endToEnd}`
    const others = (holders.get(pix) ?? []).map(({ account }) => account).filter(account => account !== owner)
    return violationIf(
      owner !== undefined && others.length > 0,
      'line_of_other_account',
      pix,
      `the ${line.kind} is of ${owner}, and on the statement of ${others}`,
    )
  })
}

/** The account that ordered a PIX, or that issued the charge that it paid; undefined where no row names it. */
function createOwnerFinder({ attempts, charges, chargesAtProvider, transfers, refunds }: FinalState) {
  const accounts = new Map([...charges, ...transfers].map(({ uuid, account }) => [uuid, account]))
  for (const { uuid, charge } of refunds) accounts.set(uuid, accounts.get(charge)!)
  const references = new Map(
    attempts.map(({ providerAccount, reference, subject }) => [
      `${providerAccount} ${reference}`,
      accounts.get(subject),
    ]),
  )
  const txids = new Map(
    chargesAtProvider.map(({ providerAccount, txid, reference }) => [
      `${providerAccount} ${txid}`,
      references.get(`${providerAccount} ${reference}`),
    ]),
  )
  return ({ providerAccount, kind, id }: ProviderStatementLine): string | undefined =>
    id === null || kind === 'deposit'
      ? undefined
      : (kind === 'payment' ? txids : references).get(`${providerAccount} ${id}`)
}
