import type { Charge } from '../../db/entities/charge.ts'

/** Returns the accounts that a payment of a charge credits: its owner and the recipients of its splits. */
export function getCreditedAccounts({ accountUuid, providerAccountUuid, splits }: Charge) {
  const recipients = splits.getItems().map(split => split.recipient.uuid)
  return { providerAccountUuid, accountUuids: [accountUuid, ...recipients] }
}
