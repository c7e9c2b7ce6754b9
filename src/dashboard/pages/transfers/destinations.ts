import { TRANSFERS_PAGE_PATH } from './transfers.ts'

/** Form of a transfer to a key, and the review and sending of every transfer to one. */
export const TRANSFER_FORM_PATH = `${TRANSFERS_PAGE_PATH}/new`

/** Kinds of destination that a transfer may have, in the order of their tabs: `path` is the first step of each. */
export const TRANSFER_DESTINATIONS = [{ name: 'key', path: TRANSFER_FORM_PATH }] as const
