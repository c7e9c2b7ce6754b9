import type { SimulatedAccounts } from './accounts.ts'
import {
  CHANGING_KEY,
  DEFAULT_RECIPIENT_DOCUMENT,
  DEFAULT_RECIPIENT_NAME,
  FOREIGN_COMPANY,
  JOINT_KEY,
  JOINT_RECIPIENT_NAME,
  NEXT_RECIPIENT,
} from './magic-recipients.ts'
import { detectDocumentKind } from './pix-key.ts'

/** The holder of a PIX key. */
export type KeyHolder = { name: string; document: string }

/**
 * Finds the holder of a PIX key as DICT knows it: a simulated account's holder, else a person whose document the key may be.
 * `isBeforeChange`: of a key whose owner changes, the earlier one.
 */
export function findKeyHolder(
  accounts: SimulatedAccounts,
  key: string,
  { isBeforeChange = false }: { isBeforeChange?: boolean } = {},
): KeyHolder {
  if (key === CHANGING_KEY && !isBeforeChange) return { ...NEXT_RECIPIENT }
  if (key === FOREIGN_COMPANY.key) return { name: FOREIGN_COMPANY.name, document: FOREIGN_COMPANY.document }
  const holder = accounts.findByKey(key)
  const keyDocument = detectDocumentKind(key) ? key : DEFAULT_RECIPIENT_DOCUMENT
  const name = key === JOINT_KEY ? JOINT_RECIPIENT_NAME : DEFAULT_RECIPIENT_NAME
  return { name: holder?.holderName ?? name, document: holder?.holderDocument ?? keyDocument }
}
