/** A snapshot on a static web server. The reader answers what the API would. */
import { type Api, ApiFailure } from './api.ts'

/** Opens the snapshot beside the page. */
export async function staticApi(): Promise<Api> {
  throw new ApiFailure(0, 'unavailable', 'There is no reader yet.')
}
