/** Over it the tab that comes back from the provider tells the others that their person has shown to be the one. */
export const CONFIRM_CHANNEL = "redrive-confirm";
