# The class of the error that a function fails with; undef where it does not.
Puppet::Functions.create_function(:'rescued::class') do
  def class_of(name, *args)
    call_function(name, *args)
    nil
  rescue StandardError, ScriptError => e
    e.class.name
  end

  dispatch :class_of do
    param 'String', :name
    repeated_param 'Any', :args
  end
end
