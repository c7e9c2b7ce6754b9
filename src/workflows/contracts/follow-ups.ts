import type { DepositReturnInput } from './deposit-returns.ts'

/** Follow-ups of a transaction: the deliveries to attempt, and the returns whose workflows are to be started after it. */
export type FollowUps = {
  deliveries: string[]
  returns: { uuid: string; connectionUuid: string; order?: DepositReturnInput }[]
}
