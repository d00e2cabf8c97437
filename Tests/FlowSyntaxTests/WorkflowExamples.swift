/// Example workflows that several tests load.
enum WorkflowExamples {
  /// The launch of an app, with most keys of the format.
  static let complete = """
    # yaml-language-server: $schema=workflow.schema.json
    name: launch
    description: Cold launch of the Footprint app
    inputs:
      language: { type: string, required: false, description: Overrides the saved language }
    deadline: { min: 2s, max: 5s }          # the launch gate: never opens before min, never after max
    events:
      map.first-use: The map was opened for the first time
    steps:
      open-store:
        uses: storage.open
        with: { path: footprint.sqlite }
        estimate: 50ms..200ms
      language:
        uses: preferences.language
        needs: open-store
        with: { override: "${{ inputs.language }}" }
        deadline: 500ms
      first-screen:
        uses: ui.present
        needs: [open-store, language]
        queue: main
      prepare-geocoder:
        uses: geocode.prepare
        blocking: false                     # runs now, but the gate does not wait for it
        optional: true                      # its failure does not fail the run
        retry: { attempts: 3, delay: 100ms, backoff: 2, max-delay: 1s, jitter: full }
      wait-for-cloud:
        uses: sync.pull
        needs: open-store
        enabled: false                      # CloudKit is switched off for now
      ask-for-location:
        uses: location.request-permission
        defer: true                         # only after the gate has opened ...
        after: map.first-use                # ... and this event was posted
    outputs:
      store: ${{ steps.open-store.outputs.path }}
    """
}
