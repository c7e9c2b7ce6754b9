import type { ChargeLocation, SimulatedCharge, SimulatedCharges } from '../../charges.ts'
import type { SimulatorStore } from '../../store.ts'

/**
 * Locations of an account: each belongs to one charge, or to none. One that belongs to a charge is kept with it, any other
 * in a table of its own.
 */
export type EfiLocation = ChargeLocation & {
  accountId: string
  kind: 'cob' | 'cobv'
  charge: SimulatedCharge | null
}

type LocationParts = { store: SimulatorStore; charges: SimulatedCharges }

export function findEfiLocation(
  { store, charges }: LocationParts,
  accountId: string,
  id: number,
): EfiLocation | undefined {
  const charge = charges.findByLocation(accountId, id)
  if (charge) return toLocationOf(charge)
  const free = store.first<FreeLocation>(
    'SELECT * FROM efiLocation WHERE accountId = ? AND id = ?',
    accountId,
    id,
  )
  return free && { ...free, charge: null }
}

/** Those made in [from, to], both ISO 8601 UTC, oldest first. */
export function listEfiLocations(
  { store }: LocationParts,
  accountId: string,
  { from, to }: { from: string; to: string },
): EfiLocation[] {
  const free = store.all<FreeLocation>('SELECT * FROM efiLocation WHERE accountId = ?', accountId)
  const used = store.all<SimulatedCharge>(
    'SELECT * FROM charge WHERE accountId = ? AND locationId > 0',
    accountId,
  )
  return [...free.map(one => ({ ...one, charge: null })), ...used.map(toLocationOf)]
    .filter(({ createdAt }) => from <= createdAt && createdAt <= to)
    .toSorted((a, b) => a.id - b.id)
}

/** Keeps a location that belongs to no charge. */
export function saveFreeLocation(store: SimulatorStore, location: FreeLocation): void {
  store.insert('efiLocation', location)
}

/** A location that a charge takes is kept with that charge from now on. */
export function dropFreeLocation(store: SimulatorStore, id: number): void {
  store.run('DELETE FROM efiLocation WHERE id = ?', id)
}

/** Moves a charge to a location, or to none; the location that it leaves belongs to no charge afterwards. */
export function moveCharge(
  { store, charges }: LocationParts,
  charge: SimulatedCharge,
  location: ChargeLocation | null,
): SimulatedCharge {
  return store.inTransaction(() => {
    const { charge: _, ...left } = toLocationOf(charge)
    if (location) dropFreeLocation(store, location.id)
    const moved = charges.setLocation(charge, location)
    if (charge.locationId > 0) saveFreeLocation(store, left)
    return moved
  })
}

type FreeLocation = Omit<EfiLocation, 'charge'>

function toLocationOf(charge: SimulatedCharge): EfiLocation {
  const { accountId, locationId: id, token, locationCreatedAt, createdAt } = charge
  return { id, accountId, token, kind: 'cob', createdAt: locationCreatedAt ?? createdAt, charge }
}
