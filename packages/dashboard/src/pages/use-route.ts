/** The page that the address bar names, now and whenever it changes. */
import { useEffect, useState } from 'preact/hooks'
import { parseHash, type Route } from './route.ts'

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  }, [])
  return parseHash(hash)
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Drover' : `${title} · Drover`
  }, [title])
}
