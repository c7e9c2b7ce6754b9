import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { type BacenListOptions, buildBacenListPage } from '../bacen/list-page.ts'
import { efiRefusals } from './errors.ts'

/** Builds a page of a list of Efí's own, which is paged as those of the Central Bank's API. */
export function buildEfiListPage<Item>(
  call: SimulatedCall,
  options: BacenListOptions<Item>,
): SimulatedResponse {
  return buildBacenListPage(call, options, { refusals: efiRefusals, subject: 'pix' })
}
