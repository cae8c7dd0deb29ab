/** The means to direct what serves. */
export interface HubControl {
  /** Reads the configuration again. */
  readonly reload: () => void;
  /** Ends the process when running calls have ended. Called once. */
  readonly stop: () => void;
}

export interface SignalOrders {
  readonly onStopping: () => void;
  readonly stopAtOnce: () => void;
  /** The same while nothing serves yet. */
  readonly stopEarly: () => void;
}

/**
 * SIGHUP has the configuration read again; SIGTERM and SIGINT stop, and whoever asks twice does not want to wait for running
 * calls. Heard from now on, obeyed as soon as what is returned is given the means: until then a reload waits, and a stop
 * has nothing to wait for.
 */
export function obeySignals({
  onStopping,
  stopAtOnce,
  stopEarly,
}: SignalOrders): (control: HubControl) => void {
  let control: HubControl | undefined;
  let stopping = false;
  let reloadIsDue = false;
  const onSignal = (): void => {
    if (control === undefined) return stopEarly();
    if (stopping) return stopAtOnce();
    stopping = true;
    onStopping();
    control.stop();
  };
  process.on('SIGHUP', () => {
    if (control === undefined) reloadIsDue = true;
    else control.reload();
  });
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return (given) => {
    control = given;
    if (reloadIsDue) given.reload();
  };
}
