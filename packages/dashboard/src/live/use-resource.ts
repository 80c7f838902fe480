/** Something that the service is asked for at every beat while a component shows it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { ApiProblem } from '../api/api-failure.ts'
import type { Problem } from '../api/api-resources.ts'
import { Service } from './service.ts'

export type Resource<T> =
  | { readonly type: 'loading' }
  | { readonly type: 'ready'; readonly value: T }
  | { readonly type: 'failed'; readonly problem: Problem }

/**
 * `key` says what is asked for: another key is another thing, and the old answer is not shown for it. `load` gets the
 * answer before, and may return it where it cannot change any more.
 */
export function useResource<T>(key: string, load: (previous: T | null) => Promise<T>): Resource<T> {
  const { pulse } = useContext(Service)
  const [held, setHeld] = useState<{ readonly key: string; readonly resource: Resource<T> } | null>(null)

  // `load` is not a dependency: the key stands for everything that it closes over.
  useEffect(() => {
    let isGone = false
    let previous: T | null = null
    const leave = pulse.join(async () => {
      const resource = await attempt(() => load(previous))
      if (isGone) return
      if (resource.type === 'ready') previous = resource.value
      setHeld({ key, resource })
    })
    return () => {
      isGone = true
      leave()
    }
  }, [pulse, key])

  return held?.key === key ? held.resource : { type: 'loading' }
}

async function attempt<T>(load: () => Promise<T>): Promise<Resource<T>> {
  try {
    return { type: 'ready', value: await load() }
  } catch (error) {
    if (error instanceof ApiProblem) return { type: 'failed', problem: error.problem }
    throw error
  }
}
