import { MAX_SPLITS } from '../../../contract/charges/split.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import { readAmount, readText } from '../../http/form.ts'
import type { PageContext } from '../../http/page-context.ts'

/** Rows of splits in the form of a new charge, and in that of a new recurrence (views/parts/split-fields.eta). */

/** Reads the rows as the member `splits` of a body. */
export function readSplitFields(visit: Pick<PageContext, 'form' | 'language'>, errors: FieldErrors) {
  const { form } = visit
  return listSplitRows(form).map(row => ({
    type: form.get(`splits.${row}.type`),
    value: readAmount(visit, `splits.${row}.value`, errors),
    recipient_account_uuid: readText(form, `splits.${row}.recipient_account_uuid`),
  }))
}

/** Presents how many rows the form has: those that are filled in, and one more where `more` asks for it. */
export function presentSplitFields(form: URLSearchParams) {
  const rowCount = listSplitRows(form).length
  return {
    splitRows: Math.min(MAX_SPLITS, Math.max(1, rowCount + (form.has('more') ? 1 : 0))),
    isSplit: rowCount > 0 || form.has('more'),
  }
}

/** Lists the rows up to the last one that is filled in. */
function listSplitRows(form: URLSearchParams): number[] {
  const isFilled = (row: number) =>
    ['value', 'recipient_account_uuid'].some(name => readText(form, `splits.${row}.${name}`))
  const rows = Array.from({ length: MAX_SPLITS }, (_, row) => row)
  return rows.slice(0, rows.findLastIndex(isFilled) + 1)
}
