import { buildDynamicBrCode } from '../../../domain/pix/br-code.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import {
  type EfiLocation,
  findEfiLocation,
  listEfiLocations,
  moveCharge,
  saveFreeLocation,
} from './locations.ts'
import { locationBody, parseEfiBody } from './schemas.ts'

type LocationHandlers = Record<
  'create' | 'show' | 'list' | 'showCode' | 'unlink',
  (call: SimulatedCall) => SimulatedResponse
>

/** Payload locations: `/v2/loc`. */
export function createEfiLocationHandlers(world: SimulatorState): LocationHandlers {
  const { charges, ids, store, now } = world
  const shown = (location: EfiLocation) => presentLocation(location, charges.locationUrl(location.token))
  const named = ({ account, params }: SimulatedCall, found: (location: EfiLocation) => SimulatedResponse) => {
    const location = findEfiLocation(world, account.id, Number(params.id))
    return location ? found(location) : errors.locationNotFound()
  }

  return {
    create: ({ account, body }) => {
      const asked = parseEfiBody(locationBody, body)
      if ('refusal' in asked) return asked.refusal
      const made = {
        id: ids.locationId(),
        accountId: account.id,
        token: ids.token(),
        kind: asked.value.tipoCob,
      }
      const location = { ...made, createdAt: now().toISOString() }
      saveFreeLocation(store, location)
      return { status: 201, body: shown({ ...location, charge: null }) }
    },
    show: call => named(call, location => ({ status: 200, body: shown(location) })),
    /** The documentation lists them as `loc`, the official SDK as `locs`. */
    list: call => {
      const listed = buildEfiListPage(call, {
        field: 'loc',
        between: range => listEfiLocations(world, call.account.id, range),
        matches: location => matchesQuery(location, call.query),
        present: shown,
      })
      if (listed.status !== 200) return listed
      const page = listed.body as { loc: object[] }
      return { status: 200, body: { ...page, locs: page.loc } }
    },
    showCode: call => named(call, location => ({ status: 200, body: presentCode(world, call, location) })),
    unlink: call =>
      named(call, location => {
        if (location.charge) moveCharge(world, location.charge, null)
        return { status: 200, body: shown({ ...location, charge: null }) }
      }),
  }
}

function presentLocation({ id, kind, createdAt, charge }: EfiLocation, url: string) {
  return {
    ...{ id, location: url, tipoCob: kind, criacao: createdAt },
    ...(charge ? { txid: charge.txid } : {}),
  }
}

/** No image is drawn: a single white pixel stands for it. */
function presentCode({ charges }: SimulatorState, { account }: SimulatedCall, location: EfiLocation) {
  const qrcode =
    location.charge?.payload ??
    buildDynamicBrCode({
      ...{ url: charges.locationUrl(location.token), totalCents: 0 },
      ...{ merchantName: account.holderName, merchantCity: account.city },
    })
  return {
    qrcode,
    imagemQrcode: WHITE_PIXEL,
    linkVisualizacao: `https://pix.gerencianet.com.br/cob/pagar/${location.token}`,
  }
}
const WHITE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=='

function matchesQuery({ kind, charge }: EfiLocation, query: URLSearchParams): boolean {
  const hasTxid = String(charge !== null)
  return (query.get('tipoCob') ?? kind) === kind && (query.get('txIdPresente') ?? hasTxid) === hasTxid
}
