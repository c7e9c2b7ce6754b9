import type { EntityManager } from '../client/orm.ts'
import { selectValue, selectValues } from '../select-values.ts'

/**
 * Probes of the workers' connections to providers. A worker that reaches no provider compares its own probes with
 * those of the others: either its own network is at fault, or the provider is.
 */

/** Most origins that a worker probes; one installation calls a handful of provider APIs. */
const MAX_ORIGINS = 20

/**
 * Finds the origins of the providers that active connections call, each once. Simulators count only where there is no
 * other provider: one within the same network can be reached by a worker that reaches no real provider.
 */
export async function findProviderOrigins(em: EntityManager): Promise<string[]> {
  const urls: string[] = await selectValues(
    em,
    `select distinct base_url from connection where status = 'ACTIVE'
       and is_simulated = (select bool_and(is_simulated) from connection where status = 'ACTIVE')
     order by base_url limit ${MAX_ORIGINS}`,
  )
  return [...new Set(urls.flatMap(url => URL.parse(url)?.origin ?? []))]
}

/** Origins that one worker has probed at the same time, and those of them to which it could connect. */
export type ProviderProbes = { worker: string; origins: string[]; reached: string[] }

/** Records a worker's probes of now, and deletes those of workers that have gone. */
export async function recordProviderProbes(em: EntityManager, { worker, origins, reached }: ProviderProbes) {
  await em.execute(
    `with gone as (delete from provider_reach where probed_at < now() - interval '1 hour' and worker <> ?)
     insert into provider_reach (worker, origin, probed_at, reached_at)
     select ?, origin, now(), case when origin in (select jsonb_array_elements_text(?::jsonb)) then now() end
     from jsonb_array_elements_text(?::jsonb) as origin
     on conflict (worker, origin) do update set
       probed_at = excluded.probed_at, reached_at = coalesce(excluded.reached_at, provider_reach.reached_at)`,
    [worker, worker, JSON.stringify(reached), JSON.stringify(origins)],
  )
}

/** Deletes the probes of a worker that stops. */
export async function deleteProviderProbes(em: EntityManager, worker: string): Promise<void> {
  await em.execute('delete from provider_reach where worker = ?', [worker])
}

/** Returns whether a worker other than `worker` has connected to one of these origins within the last `withinMs`. */
export function isReachedByOtherWorker(
  em: EntityManager,
  { worker, origins, withinMs }: { worker: string; origins: string[]; withinMs: number },
): Promise<boolean> {
  return selectValue(
    em,
    `select exists (select from provider_reach where worker <> ? and reached_at > now() - ? * interval '1 millisecond'
       and origin in (select jsonb_array_elements_text(?::jsonb)))`,
    [worker, withinMs, JSON.stringify(origins)],
  )
}

/** Returns whether a worker other than `worker` has connected to none of its origins, by its latest probes, within the last `withinMs`. */
export function isOtherWorkerWithoutProvider(
  em: EntityManager,
  { worker, withinMs }: { worker: string; withinMs: number },
): Promise<boolean> {
  return selectValue(
    em,
    `select exists (select from provider_reach where worker <> ? group by worker
       having max(probed_at) > now() - ? * interval '1 millisecond' and max(reached_at) is distinct from max(probed_at))`,
    [worker, withinMs],
  )
}
