import type { PreRestoreState } from '../../workflows/contracts/reopening.ts'

/** Returns when an operation was ordered: now, or the stored time where it is rebuilt after a restore. */
export function getOrderTime({ restored }: { restored?: PreRestoreState | undefined }): Date {
  return new Date(restored?.orderedAt ?? Date.now())
}
