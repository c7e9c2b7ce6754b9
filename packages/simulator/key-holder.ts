import type { SimulatedAccounts } from './accounts.ts'
import { DEFAULT_RECIPIENT_DOCUMENT, DEFAULT_RECIPIENT_NAME } from './magic-recipients.ts'
import { detectDocumentKind } from './pix-key.ts'

/** Finds the holder of a PIX key as DICT knows it: a simulated account's holder, else a person whose document the key may be. */
export function findKeyHolder(accounts: SimulatedAccounts, key: string): { name: string; document: string } {
  const holder = accounts.findByKey(key)
  const keyDocument = detectDocumentKind(key) ? key : DEFAULT_RECIPIENT_DOCUMENT
  return {
    name: holder?.holderName ?? DEFAULT_RECIPIENT_NAME,
    document: holder?.holderDocument ?? keyDocument,
  }
}
