import { buildDynamicBrCode } from '../../br-code.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import {
  type BacenLocation,
  findBacenLocation,
  listBacenLocations,
  moveCharge,
  saveFreeLocation,
} from '../bacen/locations.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { locationBody, parseEfiBody } from './schemas.ts'

type LocationHandlers = Record<
  'create' | 'show' | 'list' | 'showCode' | 'unlink',
  (call: SimulatedCall) => SimulatedResponse
>

/** Creates the handlers of payload locations, `/v2/loc`. */
export function createEfiLocationHandlers(state: SimulatorState): LocationHandlers {
  const { charges, ids, store, now } = state
  const presentWithUrl = (location: BacenLocation) =>
    presentLocation(location, charges.locationUrl(location.token))
  const respondWithLocation = (
    { account, params }: SimulatedCall,
    present: (location: BacenLocation) => object,
  ): SimulatedResponse => {
    const location = findBacenLocation(state, account.id, Number(params.id))
    return location ? { status: 200, body: present(location) } : errors.locationNotFound()
  }

  return {
    create: ({ account, body }) => {
      const parsed = parseEfiBody(locationBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const location = {
        id: ids.locationId(),
        accountId: account.id,
        token: ids.token(),
        kind: parsed.value.tipoCob,
        createdAt: now().toISOString(),
      }
      saveFreeLocation(store, location)
      return { status: 201, body: presentWithUrl({ ...location, charge: null }) }
    },
    show: call => respondWithLocation(call, presentWithUrl),
    /** Lists locations as `loc`, the name in the documentation, and as `locs`, the name in the official SDK. */
    list: call => {
      const response = buildEfiListPage(call, {
        field: 'loc',
        between: range => listBacenLocations(state, call.account.id, range),
        matches: location => matchesQuery(location, call.query),
        present: presentWithUrl,
      })
      if (response.status !== 200) return response
      const page = response.body as { loc: object[] }
      return { status: 200, body: { ...page, locs: page.loc } }
    },
    showCode: call => respondWithLocation(call, location => presentCode(state, call, location)),
    unlink: call =>
      respondWithLocation(call, location => {
        if (location.charge) moveCharge(state, location.charge, null)
        return presentWithUrl({ ...location, charge: null })
      }),
  }
}

function presentLocation({ id, kind, createdAt, charge }: BacenLocation, url: string) {
  return {
    id,
    location: url,
    tipoCob: kind,
    criacao: createdAt,
    ...(charge ? { txid: charge.txid } : {}),
  }
}

/** Presents the code of a location; its image is a single white pixel. */
function presentCode({ charges }: SimulatorState, { account }: SimulatedCall, location: BacenLocation) {
  const qrcode =
    location.charge?.payload ??
    buildDynamicBrCode({
      url: charges.locationUrl(location.token),
      totalCents: 0,
      merchantName: account.holderName,
      merchantCity: account.city,
    })
  return {
    qrcode,
    imagemQrcode: WHITE_PIXEL,
    linkVisualizacao: `https://pix.gerencianet.com.br/cob/pagar/${location.token}`,
  }
}
const WHITE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=='

function matchesQuery({ kind, charge }: BacenLocation, query: URLSearchParams): boolean {
  const hasTxid = String(charge !== null)
  return (query.get('tipoCob') ?? kind) === kind && (query.get('txIdPresente') ?? hasTxid) === hasTxid
}
