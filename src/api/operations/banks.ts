import { normalizeIspb } from '../../domain/pix/ispb.ts'
import { LISTED_BANKS, type ListedBank } from '../../domain/pix/listed-banks.ts'

/** Names by which customers know an institution and that its own name does not have, by its ISPB. */
const TRADE_NAMES: Record<string, string> = { '18236120': 'Nubank', '08561701': 'PagBank' }

/** Sorted by their names, once per process. */
const BANKS: (ListedBank & { folded: string })[] = LISTED_BANKS.map(bank => ({
  ...bank,
  folded: foldName(`${bank.name} ${TRADE_NAMES[bank.ispb] ?? ''}`),
})).toSorted((a, b) => a.folded.localeCompare(b.folded))

/** Lists the institutions of which a text is the COMPE code, begins the ISPB, or names every word of it; all without a text. */
export function searchBanks(search: string | undefined): ListedBank[] {
  const words = foldName(search ?? '').split(' ')
  const number = normalizeIspb(search ?? '')
  const isFound = ({ ispb, code, folded }: (typeof BANKS)[number]) =>
    search === undefined ||
    code === number ||
    ispb.startsWith(number) ||
    words.every(word => folded.includes(word))
  return BANKS.filter(isFound).map(({ ispb, code, name }) => ({ ispb, code, name }))
}

/** Folds a name so that "Itaú" is found by "itau". */
function foldName(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}
