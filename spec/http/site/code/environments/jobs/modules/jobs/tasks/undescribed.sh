echo undescribed
