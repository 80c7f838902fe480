/** Pages whose code is loaded apart: the first one is shown before the others have arrived. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Empty, Loading } from '../parts/placeholders.tsx'

const loads: (() => Promise<void>)[] = []

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Page: ComponentType<P> | null = null
  const fetchPage = async () => {
    Page ??= await load()
  }
  loads.push(fetchPage)
  return function Later(props: P) {
    const [state, setState] = useState<'loading' | 'here' | 'failed'>('loading')
    useEffect(() => {
      let isGone = false
      const show = (next: 'here' | 'failed') => !isGone && setState(next)
      if (Page === null)
        fetchPage().then(
          () => show('here'),
          () => show('failed'),
        )
      return () => {
        isGone = true
      }
    }, [])
    if (Page !== null) return <Page {...props} />
    return state === 'failed' ? <NotLoaded /> : <Loading rows={6} />
  }
}

/** From then on opening a page waits for nothing, even if the service is away. One that fails is tried again when it is opened. */
export async function loadTheRest(): Promise<void> {
  for (const load of loads) await load().catch(() => {})
}

function NotLoaded() {
  return (
    <Empty title="This page could not be loaded">
      <p>Drover does not respond, or has been updated since this tab was opened.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload
      </button>
    </Empty>
  )
}
