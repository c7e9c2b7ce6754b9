/**
 * Ids of Stark's objects: 16 digits, the first of which is the kind of the object, from the number of a row. So an object that is a
 * view of a receipt or movement needs no table of its own.
 */
const KINDS = {
  subscription: '0',
  workspace: '1',
  pullRequest: '2',
  verifiedAccount: '3',
  invoice: '4',
  deposit: '5',
  transfer: '6',
  transaction: '7',
  webhook: '8',
  event: '9',
} as const
type StarkIdKind = keyof typeof KINDS

export function buildStarkId(kind: StarkIdKind, number: number): string {
  return `${KINDS[kind]}${String(number).padStart(15, '0')}`
}

/** Reads the number in an id of this kind; null where it is none. */
export function parseStarkId(kind: StarkIdKind, id: string): number | null {
  return /^\d{16}$/.test(id) && id.startsWith(KINDS[kind]) ? Number(id.slice(1)) : null
}

/** Builds the id of the nth log of an object. */
export function buildStarkLogId(objectId: string, index: number): string {
  return `2${objectId.slice(0, 1)}${objectId.slice(-10)}${String(index).padStart(4, '0')}`
}

/** Formats ISO 8601 with `Z` as Stark does: microseconds, and the offset in digits. */
export function formatStarkTime(at: string): string {
  return at.replace('Z', '000+00:00')
}

/** Formats a CPF or CNPJ with punctuation, as Stark's answers have it. */
export function formatTaxId(document: string): string {
  return document.length === 11
    ? document.replace(/^(.{3})(.{3})(.{3})(.{2})$/, '$1.$2.$3-$4')
    : document.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5')
}

/** Removes the punctuation of a CPF or CNPJ. */
export function parseTaxId(taxId: string): string {
  return taxId.replace(/[./-]/g, '')
}
