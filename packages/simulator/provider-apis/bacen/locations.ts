import type { ChargeLocation, SimulatedCharge, SimulatedCharges } from '../../charges.ts'
import type { SimulatorStore } from '../../store.ts'

/** A payload location of an account. That of a charge is stored in the charge's row, any other in `pixLocation`. */
export type BacenLocation = ChargeLocation & {
  accountId: string
  kind: 'cob' | 'cobv'
  charge: SimulatedCharge | null
}

type LocationDependencies = { store: SimulatorStore; charges: SimulatedCharges }

export function findBacenLocation(
  { store, charges }: LocationDependencies,
  accountId: string,
  id: number,
): BacenLocation | undefined {
  const charge = charges.findByLocation(accountId, id)
  if (charge) return getChargeLocation(charge)
  const free = store.first<FreeLocation>(
    'SELECT * FROM pixLocation WHERE accountId = ? AND id = ?',
    accountId,
    id,
  )
  return free && { ...free, charge: null }
}

/** Lists the locations created in [from, to], both ISO 8601 UTC, by id. */
export function listBacenLocations(
  { store }: LocationDependencies,
  accountId: string,
  { from, to }: { from: string; to: string },
): BacenLocation[] {
  const free = store.all<FreeLocation>('SELECT * FROM pixLocation WHERE accountId = ?', accountId)
  const used = store.all<SimulatedCharge>(
    'SELECT * FROM charge WHERE accountId = ? AND locationId > 0',
    accountId,
  )
  return [...free.map(location => ({ ...location, charge: null })), ...used.map(getChargeLocation)]
    .filter(({ createdAt }) => from <= createdAt && createdAt <= to)
    .toSorted((a, b) => a.id - b.id)
}

/** Stores a location without a charge. */
export function saveFreeLocation(store: SimulatorStore, location: FreeLocation): void {
  store.insert('pixLocation', location)
}

/** Deletes the row of a location that a charge gets: it is then stored in the charge's row. */
export function dropFreeLocation(store: SimulatorStore, id: number): void {
  store.run('DELETE FROM pixLocation WHERE id = ?', id)
}

/** Moves a charge to a location, or to none (null); its previous location has no charge afterwards. */
export function moveCharge(
  { store, charges }: LocationDependencies,
  charge: SimulatedCharge,
  location: ChargeLocation | null,
): SimulatedCharge {
  return store.inTransaction(() => {
    const { charge: _, ...previousLocation } = getChargeLocation(charge)
    if (location) dropFreeLocation(store, location.id)
    const movedCharge = charges.setLocation(charge, location)
    if (charge.locationId > 0) saveFreeLocation(store, previousLocation)
    return movedCharge
  })
}

type FreeLocation = Omit<BacenLocation, 'charge'>

function getChargeLocation(charge: SimulatedCharge): BacenLocation {
  const { accountId, locationId: id, token, locationCreatedAt, createdAt, due } = charge
  const kind = due === null ? 'cob' : 'cobv'
  return { id, accountId, token, kind, createdAt: locationCreatedAt ?? createdAt, charge }
}
