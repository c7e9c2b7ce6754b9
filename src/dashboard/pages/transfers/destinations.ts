import { TRANSFERS_PAGE_PATH } from './transfers.ts'

/** Form of a transfer to a key; those of the other destinations are below it. */
export const TRANSFER_FORM_PATH = `${TRANSFERS_PAGE_PATH}/new`
export const ACCOUNT_FORM_PATH = `${TRANSFER_FORM_PATH}/account`
export const CODE_FORM_PATH = `${TRANSFER_FORM_PATH}/code`

/** Kinds of destination that a transfer may have, in the order of their tabs: `path` is the first step of each. */
export const TRANSFER_DESTINATIONS = [
  { name: 'key', path: TRANSFER_FORM_PATH },
  { name: 'account', path: ACCOUNT_FORM_PATH },
  { name: 'code', path: CODE_FORM_PATH },
] as const
export type TransferDestinationName = (typeof TRANSFER_DESTINATIONS)[number]['name']
