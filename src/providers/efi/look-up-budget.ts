import { z } from 'zod'
import type { KeyLookUpCalls } from '../port.ts'
import type { EfiClient } from './client.ts'

const bucketSchema = z
  .object({
    capacidade: z.number().min(0),
    fichasDisponiveis: z.number().min(0),
    taxaDeReposicaoFichas: z.number().min(0),
    periodoReposicaoEmSegundos: z.number().positive(),
  })
  .transform(bucket => ({
    capacity: bucket.capacidade,
    left: Math.min(bucket.fichasDisponiveis, bucket.capacidade),
    refillPerMinute: (bucket.taxaDeReposicaoFichas * 60) / bucket.periodoReposicaoEmSegundos,
  }))
const bucketsSchema = z.object({ baldeA: bucketSchema, baldeB: bucketSchema })

/**
 * Creates the reading of Efí's buckets ("Consultar baldes de fichas"): one for documents and random keys, one for phones and e-mails.
 * Its transfers to keys use them. The emptier one is reported. Efí looks no key of others up.
 */
export function createEfiLookUpBudget(client: EfiClient): Required<Pick<KeyLookUpCalls, 'findLookUpBudget'>> {
  return {
    findLookUpBudget() {
      const call = { call: 'findLookUpBudget', path: '/v2/gn/chaves/balde' } as const
      return client.lookUpExisting(call, bucketsSchema, ({ baldeA, baldeB }) => ({
        budget: baldeA.left <= baldeB.left ? baldeA : baldeB,
      }))
    },
  }
}
