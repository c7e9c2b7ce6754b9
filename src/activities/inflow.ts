import type { EntityManager } from '../db/orm.ts'
import { type Leg, shortfallRepaid } from '../domain/ledger.ts'

/** Money that has just become available to some accounts at one provider account. */
export type Inflow = { providerAccountUuid: string; credits: { accountUuid: string; cents: number }[] }

/**
 * The legs that repay open shortfalls first (SPEC §7), to be booked with the inflow itself. Two inflows at once may both
 * find the same shortfall: the constraint `balance_shortfall` refuses the second, which is then tried again.
 */
export async function repayments(
  em: EntityManager,
  { providerAccountUuid, credits }: Inflow,
): Promise<Leg[]> {
  const rows: { account_uuid: string; cents: string }[] = await em.execute(
    `select account_uuid, cents from balance where provider_account_uuid = ? and bucket = 'shortfall' and cents < 0
       and account_uuid = any(array[?]::uuid[])`,
    [providerAccountUuid, credits.map(credit => credit.accountUuid)],
  )
  return rows.flatMap(row => {
    const cents = credits
      .filter(credit => credit.accountUuid === row.account_uuid)
      .reduce((sum, credit) => sum + credit.cents, 0)
    return shortfallRepaid(row.account_uuid, { cents, shortfallCents: Number(row.cents) })
  })
}
